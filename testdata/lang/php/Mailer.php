<?php

declare(strict_types=1);

namespace App\Mail;

use App\Log;

const RETRIES = 3;

/**
 * Sends messages.
 */
interface Transport
{
    public function send(string $to, string $body): bool;
}

trait Counts
{
    private int $count = 0;

    protected function count(): int
    {
        return ++$this->count;
    }
}

enum State: string
{
    case Sent = 'sent';
    case Failed = 'failed';

    public function label(): string
    {
        return ucfirst($this->value);
    }
}

#[Service]
final class Mailer implements Transport
{
    use Counts;

    /** How often it is tried. */
    private const TRIES = 3;

    public function __construct(private Log $log)
    {
    }

    // Tries a few times.
    #[Retry(3)]
    public function send(string $to, string $body): bool
    {
        $attempt = function () use ($to) {
            return mail($to, '', '');
        };
        return $attempt();
    }

    public static function make(): self
    {
        return new self(new Log());
    }
}

/** Cleans an address. */
function clean(string $address): string
{
    return trim($address);
}
