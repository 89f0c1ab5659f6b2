import { constants, randomUUID, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

process.loadEnvFile()
const { COFFER_BASE_URL, COFFER_API_KEY, COFFER_PROXY_KEY, COFFER_PUBLIC_KEY, PORT } = process.env
const orders = new Map()

const readBody = async (request) => Buffer.concat(await request.toArray())

function showPage() {
  const page = readFileSync('page.html', 'utf8')
  return page.replace('COFFER_BASE_URL', COFFER_BASE_URL).replace('COFFER_PUBLIC_KEY', COFFER_PUBLIC_KEY)
}

// The proxy inserts the card into the request, so this server never has its number.
async function pay(token) {
  if (!/^[\w-]+$/.test(token)) return [400, 'This is no token.']
  const order = randomUUID()
  orders.set(order, 'open')
  const response = await fetch(`${COFFER_BASE_URL}/proxy`, {
    method: 'POST',
    headers: {
      'SVC-API-KEY': COFFER_API_KEY,
      'SVC-PROXY-KEY': COFFER_PROXY_KEY,
      'SVC-TRACE-ID': order,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ amount: 1999, currency: 'EUR', card: `{{ ${token} | json: '$.number' }}` }),
  })
  if (response.ok) return [200, order]
  orders.set(order, 'failed')
  return [502, await response.text()]
}

// Events arrive signed. Only one that the vault has signed marks an order as paid.
async function receiveEvent(body, signature = '') {
  const response = await fetch(`${COFFER_BASE_URL}/.well-known/webhooks.v1.key`)
  const key = { key: await response.text(), padding: constants.RSA_PKCS1_PSS_PADDING }
  if (!verify('SHA256', body, key, Buffer.from(signature, 'base64'))) return [400, 'The signature is wrong.']
  const { trace_id, data } = JSON.parse(body.toString()).event
  if (orders.has(trace_id)) orders.set(trace_id, data.destination.response.status === 200 ? 'paid' : 'failed')
  return [200, '']
}

async function answer({ method, url, headers }, body) {
  const target = `${method} ${url}`
  if (target === 'GET /') return [200, showPage(), 'text/html']
  if (target === 'POST /pay') return pay(body.toString())
  if (target === 'POST /webhook') return receiveEvent(body, headers['bt-signature'])
  if (target.startsWith('GET /orders/')) return [200, orders.get(url.slice('/orders/'.length)) ?? 'unknown']
  return [404, 'Not found']
}

createServer(async (request, response) => {
  const [status, text, type = 'text/plain'] = await answer(request, await readBody(request)).catch(
    (error) => [500, error.message],
  )
  response.writeHead(status, { 'Content-Type': `${type}; charset=utf-8` }).end(text)
}).listen(Number(PORT), 'localhost', () => console.log(`http://localhost:${PORT}`))
