import os
import sys

import urllib3

url = sys.argv[1] if len(sys.argv) > 1 else "https://api.basistheory.com/tokens"
response = urllib3.request("GET", url, retries=False, headers={"BT-API-KEY": os.environ["BT_API_KEY"]})
print("answered", response.status)
