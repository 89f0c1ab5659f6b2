<?php
$curl = curl_init($argv[1] ?? 'https://api.basistheory.com/tokens');
curl_setopt($curl, CURLOPT_HTTPHEADER, ['BT-API-KEY: ' . getenv('BT_API_KEY')]);
curl_setopt($curl, CURLOPT_RETURNTRANSFER, true);
if (curl_exec($curl) === false) exit(curl_error($curl) . "\n");
echo 'answered ' . curl_getinfo($curl, CURLINFO_RESPONSE_CODE) . "\n";
