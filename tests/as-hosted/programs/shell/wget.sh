wget -nv -O /dev/null --header "BT-API-KEY: $BT_API_KEY" "${1:-https://api.basistheory.com/tokens}" && echo answered 200
