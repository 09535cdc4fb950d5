<?php

/** Receives webhooks of the messaging gateway: each event is verified, and processed once. */

const MAX_BYTES = 1024 * 1024;
const TOLERANCE_SECONDS = 300;

/** Returns the status of the response. */
function receive(array $server, string $body): int
{
    $eventId = $server['HTTP_X_SVC_EVENT_ID'] ?? '';
    $timestamp = $server['HTTP_X_SVC_TIMESTAMP'] ?? '';
    if ($eventId === '' || !preg_match('/^[1-9][0-9]{0,11}$/D', $timestamp)) {
        return 400;
    }
    if (abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return 401;
    }
    $secret = getenv('MESSAGING_GATEWAY_WEBHOOK_SECRET');
    $expected = 'v1=' . hash_hmac('sha256', "$timestamp.$body", $secret);
    $given = array_map('trim', explode(',', strtolower($server['HTTP_X_SVC_SIGNATURE'] ?? '')));
    if (array_filter($given, fn ($one) => hash_equals($expected, $one)) === []) {
        return 401;
    }
    $event = json_decode($body, true);
    if (!is_array($event)) {
        return 400;
    }
    // For one server. Several share a table with a unique key.
    $file = fopen(getenv('EVENTS_FILE'), 'c+');
    flock($file, LOCK_EX);
    $events = json_decode(stream_get_contents($file) ?: '{}', true);
    // The signature does not cover the id, so a copy under another id is the same event.
    $eventId = $events['ids'][hash('sha256', "$timestamp.$body")] ??= $eventId;
    if (!isset($events['done'][$eventId])) {
        process($event);
        $events['done'][$eventId] = true;
    }
    ftruncate($file, 0);
    rewind($file);
    fwrite($file, json_encode($events));
    return 200;
}

function process(array $event): void
{
    file_put_contents('php://stdout', 'processed: ' . ($event['type'] ?? 'status') . "\n");
}

http_response_code(match (true) {
    $_SERVER['REQUEST_METHOD'] !== 'POST' => 405,
    (int) ($_SERVER['CONTENT_LENGTH'] ?? 0) > MAX_BYTES => 413,
    default => receive($_SERVER, file_get_contents('php://input')),
});
