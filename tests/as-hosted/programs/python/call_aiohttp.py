import asyncio
import os
import sys

import aiohttp

url = sys.argv[1] if len(sys.argv) > 1 else "https://api.basistheory.com/tokens"


async def main():
    async with aiohttp.ClientSession() as session:
        async with session.get(url, headers={"BT-API-KEY": os.environ["BT_API_KEY"]}) as response:
            print("answered", response.status)


asyncio.run(main())
