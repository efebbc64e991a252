require "json"

# Shopping for one person.
module Shop
  TAX = 0.19

  # Raised when a basket is full.
  class Full < StandardError; end

  class Basket
    include Enumerable
    LIMIT, STEP = 10, 1
    # of one basket
    NAMES = %w[small large].freeze

    attr_reader :items

    def initialize(limit = 10)
      @limit = limit
      @items = []
    end

    # Adds an item.
    #
    # Raises Full.
    def add(item, count: 1)
      raise Full if @items.size >= @limit
      count.times { @items << item }
      self
    end

    def each(&block)
      @items.each(&block)
    end

    def self.load(json)
      new.tap { |b| JSON.parse(json).each { |i| b.add(i) } }
    end

    class << self
      def empty
        new(0)
      end
    end

    def full? = @items.size >= @limit

    def ==(other)
      items == other.items
    end

    private

    def total
      @items.sum(&:price)
    end
  end
end

class Shop::Receipt
  def print
    puts "paid"
  end
end

describe Shop::Basket do
  context "when full" do
    it "refuses" do
      expect { described_class.new(0).add(1) }.to raise_error(Shop::Full)
    end
  end
end

RATES = { a: 1 }.freeze
