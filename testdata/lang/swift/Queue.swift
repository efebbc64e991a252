import Foundation

/// Something that can be drained.
protocol Drainable {
    func drain() -> Int
}

/// Queue keeps jobs in order.
final class Queue<T>: Drainable {
    private var jobs: [T] = []

    init(jobs: [T]) {
        self.jobs = jobs
    }

    /// Adds a job.
    func push(_ job: T) throws {
        jobs.append(job)
        print("pushed \(describe(job))")
    }

    func drain() -> Int {
        let n = jobs.count
        jobs.removeAll()
        return n
    }
}

struct Job {
    let name: String

    func run() {}
}

enum State {
    static let first = State.open
    static let last = State.closed

    case open
    case closed
}

extension Job: CustomStringConvertible {
    var description: String { name }

    func repeated(_ n: Int) -> [Job] { Array(repeating: self, count: n) }
}

typealias Jobs = [Job]

// A free function.
func describe<T>(_ job: T) -> String {
    return "\(job)"
}
