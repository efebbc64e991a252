# An RSpec formatter that writes one line of JSON for each event, so that a crash loses nothing.

require_relative "redgreen_report"

class RedgreenFormatter
  RSpec::Core::Formatters.register self, :start, :message, :example_started, :example_passed, :example_failed, :example_pending,
                                   :dump_summary, :close

  REPORT = RedgreenReport.new

  def initialize(_output)
    @messages = []
  end

  def start(notification)
    REPORT.write(event: "collected", collected: notification.count)
  end

  def message(notification)
    @messages << notification.message
  end

  def example_started(notification)
    REPORT.write(event: "start", id: id(notification.example))
  end

  def example_passed(notification)
    done(notification.example, "passed")
  end

  def example_pending(notification)
    done(notification.example, "skipped", text: notification.example.execution_result.pending_message.to_s)
  end

  def example_failed(notification)
    example = notification.example
    error = example.execution_result.exception
    place = error.backtrace.to_a.map { |l| l.match(/\A(.+?):(\d+)/) }.compact.find { |m| m[1].start_with?(Dir.pwd + "/") && !m[1].include?("/vendor/") }
    file, line = place ? [place[1], place[2].to_i] : [example.metadata[:file_path], example.metadata[:line_number]]
    message = notification.message_lines.join("\n")
    done(example, "failed", text: message, file: RedgreenReport.relative(file), line: line)
  end

  def dump_summary(summary)
    return if summary.errors_outside_of_examples_count.zero?

    REPORT.write(event: "outside", text: @messages.join("\n"))
  end

  def close(_notification)
    REPORT.write(event: "end")
  end

  private

  def id(example)
    RedgreenReport.relative(example.metadata[:rerun_file_path] || example.file_path) + " > " + example.full_description
  end

  def done(example, status, more = {})
    seconds = example.execution_result.run_time || 0
    REPORT.write({ event: "test", id: id(example), status: status, ms: (seconds * 1000).to_i }.merge(more))
  end
end
