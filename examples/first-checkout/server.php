<?php
$env = parse_ini_file('.env', false, INI_SCANNER_RAW);
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$body = file_get_contents('php://input');

// PHP keeps nothing between two requests, so each order is a file.
function orderFile(string $order): string
{
    return sys_get_temp_dir() . '/order-' . preg_replace('/[^\w-]/', '', $order);
}

function answer(int $status, string $text, string $type = 'text/plain'): never
{
    http_response_code($status);
    header("Content-Type: $type; charset=utf-8");
    exit($text);
}

// The proxy inserts the card into the request, so this server never has its number.
function pay(array $env, string $token): never
{
    if (!preg_match('/^[\w-]+$/D', $token)) answer(400, 'This is no token.');
    $order = bin2hex(random_bytes(16));
    file_put_contents(orderFile($order), 'open');
    $request = curl_init($env['COFFER_BASE_URL'] . '/proxy');
    curl_setopt_array($request, [
        CURLOPT_HTTPHEADER => [
            'SVC-API-KEY: ' . $env['COFFER_API_KEY'],
            'SVC-PROXY-KEY: ' . $env['COFFER_PROXY_KEY'],
            'SVC-TRACE-ID: ' . $order,
            'Content-Type: application/json',
        ],
        CURLOPT_POSTFIELDS => json_encode([
            'amount' => 1999,
            'currency' => 'EUR',
            'card' => "{{ $token | json: '$.number' }}",
        ]),
        CURLOPT_RETURNTRANSFER => true,
    ]);
    $response = curl_exec($request);
    if (curl_getinfo($request, CURLINFO_RESPONSE_CODE) === 200) answer(200, $order);
    file_put_contents(orderFile($order), 'failed');
    answer(502, (string) $response);
}

// Events arrive signed. Only one that the vault has signed marks an order as paid.
function receiveEvent(array $env, string $body, string $signature): never
{
    $pem = file_get_contents($env['COFFER_BASE_URL'] . '/.well-known/webhooks.v1.key');
    if (!isSigned($body, base64_decode($signature), $pem)) answer(400, 'The signature is wrong.');
    $event = json_decode($body, true)['event'];
    $file = orderFile($event['trace_id']);
    if (is_file($file)) {
        file_put_contents($file, $event['data']['destination']['response']['status'] === 200 ? 'paid' : 'failed');
    }
    answer(200, '');
}

// RSA-PSS as in RFC 8017, 9.1.2, which openssl_verify() has only since PHP 8.5.
function isSigned(string $body, string $signature, string $pem): bool
{
    if (!openssl_public_decrypt($signature, $block, $pem, OPENSSL_NO_PADDING)) return false;
    $masked = substr($block, 0, -33);
    $hash = substr($block, -33, 32);
    $mask = '';
    for ($count = 0; strlen($mask) < strlen($masked); $count++) $mask .= hash('sha256', $hash . pack('N', $count), true);
    $plain = $masked ^ substr($mask, 0, strlen($masked));
    $plain[0] = $plain[0] & "\x7f";
    $salt = substr($plain, -32);
    $wanted = hash('sha256', str_repeat("\0", 8) . hash('sha256', $body, true) . $salt, true);
    return (ord($masked[0]) & 0x80) === 0
        && $block[-1] === "\xbc"
        && $plain === str_repeat("\0", strlen($plain) - 33) . "\1" . $salt
        && hash_equals($wanted, $hash);
}

$target = $_SERVER['REQUEST_METHOD'] . ' ' . $path;
if ($target === 'GET /') answer(200, strtr(file_get_contents('page.html'), [
    'COFFER_BASE_URL' => $env['COFFER_BASE_URL'],
    'COFFER_PUBLIC_KEY' => $env['COFFER_PUBLIC_KEY'],
]), 'text/html');
if ($target === 'POST /pay') pay($env, $body);
if ($target === 'POST /webhook') receiveEvent($env, $body, $_SERVER['HTTP_BT_SIGNATURE'] ?? '');
if (str_starts_with($target, 'GET /orders/')) {
    $file = orderFile(substr($path, strlen('/orders/')));
    answer(200, is_file($file) ? file_get_contents($file) : 'unknown');
}
answer(404, 'Not found');
