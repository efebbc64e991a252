# A Minitest plugin that writes one line of JSON for each event, so that a crash loses nothing. Minitest loads it by itself
# from the load path.

require_relative "../redgreen_report"

module Minitest
  class RedgreenReporter < AbstractReporter
    def initialize(report)
      super()
      @report = report
    end

    def prerecord(klass, name)
      file, = klass.instance_method(name).source_location
      @report.write(event: "start", id: id(file, klass.name, name))
    end

    def record(result)
      file, line = result.source_location
      event = { event: "test", id: id(file, result.klass, result.name), ms: (result.time.to_f * 1000).to_i, status: "passed" }
      if result.skipped?
        event.merge!(status: "skipped", text: result.failure.message)
      elsif (failure = result.failure)
        place = failure.location.to_s.match(/\A(.+?):(\d+)/)
        file, line = place[1], place[2].to_i if place && File.expand_path(place[1]).start_with?(Dir.pwd + "/")
        event.merge!(status: "failed", text: result.failures.map(&:message).join("\n"), file: RedgreenReport.relative(file), line: line)
      end
      @report.write(event)
    end

    def report
      @report.write(event: "end")
    end

    private

    def id(file, klass, name)
      RedgreenReport.relative(file) + " > " + klass.to_s + "#" + name
    end
  end

  def self.plugin_redgreen_init(_options)
    reporter << RedgreenReporter.new(RedgreenReport.new) if ENV["REDGREEN_REPORT"]
  end
end
