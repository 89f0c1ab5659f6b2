import os
import sys
import urllib.request

url = sys.argv[1] if len(sys.argv) > 1 else "https://api.basistheory.com/tokens"
request = urllib.request.Request(url, headers={"BT-API-KEY": os.environ["BT_API_KEY"]})
with urllib.request.urlopen(request) as response:
    print("answered", response.status)
