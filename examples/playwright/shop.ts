import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** The page under test. It sends the card directly to the vault, with a key that may only create tokens. */
const page = (url: string, key: string) => `<!doctype html><title>Shop</title>
<form><label>Card <input name="number"></label><button>Pay</button></form><output></output>
<script>
document.forms[0].addEventListener('submit', async (event) => {
  event.preventDefault()
  const data = document.forms[0].number.value
  const answer = await fetch('${url}/tokens', {
    method: 'POST',
    headers: { 'SVC-API-KEY': '${key}', 'Content-Type': 'application/json' },
    body: JSON.stringify({ type: 'card_number', data }),
  })
  document.querySelector('output').textContent = answer.ok ? 'Paid' : 'Refused'
})
</script>`

/** Serves the page on a free port. */
export async function startShop() {
  let html = ''
  const server = http.createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html').end(html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    useVault(url: string, key: string) {
      html = page(url, key)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
