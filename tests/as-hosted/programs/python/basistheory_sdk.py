import os
import sys

import basistheory
from basistheory.api.tokens_api import TokensApi
from basistheory.model.create_token_request import CreateTokenRequest

# No host, unless another one is to be called.
options = {"host": sys.argv[1]} if len(sys.argv) > 1 else {}
configuration = basistheory.Configuration(api_key=os.environ["BT_API_KEY"], **options)
with basistheory.ApiClient(configuration) as client:
    tokens = TokensApi(client)
    created = tokens.create(create_token_request=CreateTokenRequest(type="token", data="value"))
    token = tokens.get_by_id(created.id)
    print("answered", 200 if token.data == "value" else token.data)
