<?php
$context = stream_context_create(['http' => ['header' => 'BT-API-KEY: ' . getenv('BT_API_KEY')]]);
if (file_get_contents($argv[1] ?? 'https://api.basistheory.com/tokens', false, $context) === false) exit(1);
echo 'answered ' . explode(' ', $http_response_header[0])[1] . "\n";
