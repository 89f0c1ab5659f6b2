curl -sS -o /dev/null -w 'answered %{http_code}\n' -H "BT-API-KEY: $BT_API_KEY" "${1:-https://api.basistheory.com/tokens}"
