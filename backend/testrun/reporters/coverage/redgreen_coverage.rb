# Ruby loads this before the tests, in every process that they start: it has Ruby's own Coverage count lines.
#
# It writes which lines of a few files exist (S) and which were executed (X), one a line, when a process ends. REDGREEN_COVER has
# the report's path, then the files, one a line.

require "coverage"

report, *files = ENV["REDGREEN_COVER"].to_s.split("\n")

if report && !(Coverage.respond_to?(:running?) && Coverage.running?)
  Coverage.start
  at_exit do
    counted =
      begin
        Coverage.peek_result
      rescue RuntimeError # the tests measure themselves, and took the counts
        {}
      end
    lines = files.flat_map do |file|
      hits = counted[File.exist?(file) ? File.realpath(file) : file]
      hits = hits[:lines] if hits.is_a?(Hash)
      hits ||= Coverage.respond_to?(:line_stub) && File.exist?(file) ? Coverage.line_stub(file) : []
      hits.each_with_index.reject { |n, _| n.nil? }.map { |n, i| "#{n.positive? ? "X" : "S"} #{i + 1} #{file}\n" }
    end
    File.open(report, "a") { |f| f.write(lines.join) }
  end
end
