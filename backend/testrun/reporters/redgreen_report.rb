# The sealed report of Ruby's runners; see redgreen_report.py for what the seal is for.

require "json"
require "openssl"

class RedgreenReport
  LONGEST = 20_000

  def initialize
    path = ENV.delete("REDGREEN_REPORT")
    @key = File.binread(path + ".key")
    File.unlink(path + ".key")
    @file = File.open(path, File::WRONLY | File::CREAT | File::EXCL | File::APPEND, 0o644)
    @file.sync = true
    @seal = ""
    @process = Process.pid
  end

  def write(event)
    return unless Process.pid == @process # a process that a test forked

    line = JSON.generate(event.transform_values { |v| v.is_a?(String) ? text(v) : v })
    @seal = OpenSSL::HMAC.hexdigest("SHA256", @key, @seal + line)
    @file.write("#{@seal} #{line}\n")
  rescue SystemCallError
    exit!(74) # EX_IOERR: the disk is full, say; what stands there is not all, and goes for nothing
  end

  # A path of the folder, relative to it.
  def self.relative(path)
    path.to_s.delete_prefix(Dir.pwd + "/").delete_prefix("./")
  end

  private

  def text(value)
    value = value.dup.force_encoding("UTF-8") if value.encoding == Encoding::BINARY
    value.encode("UTF-8", invalid: :replace, undef: :replace).scrub[0, LONGEST]
  end
end
