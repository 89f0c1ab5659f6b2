import os
import sys

from basis_theory import BasisTheory

# No base URL, unless another host is to be called.
options = {"base_url": sys.argv[1]} if len(sys.argv) > 1 else {}
client = BasisTheory(api_key=os.environ["BT_API_KEY"], **options)
created = client.tokens.create(type="token", data="value")
token = client.tokens.get(created.id)
print("answered", 200 if token.data == "value" else token.data)
