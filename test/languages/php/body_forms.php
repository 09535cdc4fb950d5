<?php
// Writes each JSON body of a list as PHP's json_encode does, in the forms that profiles name.
//
//     php body_forms.php bodies.json

/** Sorts the fields at every level; objects stay objects, so that an empty one is {}. */
function sorted(mixed $value): mixed
{
    if (is_array($value)) {
        return array_map('sorted', $value);
    }
    if (!is_object($value)) {
        return $value;
    }
    $fields = get_object_vars($value);
    ksort($fields, SORT_STRING);
    return (object) array_map('sorted', $fields);
}

const BEYOND_ASCII = JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_LINE_TERMINATORS;

$write = fn (mixed $body): array => [
    'rfc8785' => json_encode($body, BEYOND_ASCII | JSON_UNESCAPED_SLASHES),
    'ascii_slashes' => json_encode($body),
    'slashes' => json_encode($body, BEYOND_ASCII),
];
echo json_encode(array_map(fn (mixed $body): array => $write(sorted($body)), json_decode(file_get_contents($argv[1]))));
