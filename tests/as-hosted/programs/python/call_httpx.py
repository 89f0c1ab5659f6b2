import os
import sys

import httpx

url = sys.argv[1] if len(sys.argv) > 1 else "https://api.basistheory.com/tokens"
response = httpx.get(url, headers={"BT-API-KEY": os.environ["BT_API_KEY"]})
print("answered", response.status_code)
