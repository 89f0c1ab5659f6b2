import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

type Payment = {
  readonly amount: number
  readonly currency: string
  readonly reference: string
  readonly card: { readonly number: string }
}

/** A card that the provider declines for lack of funds. */
const EMPTY = '4000000000000002'

/**
 * A payment provider with one route, which replaces `https://api.payments.example`. Sends its URL to its parent
 * process.
 */
const server = http.createServer(async (request, response) => {
  const { amount, currency, reference, card } = (await json(request)) as Payment
  const isPaid = /^\d{12,19}$/.test(card.number) && card.number !== EMPTY
  const last4 = card.number.slice(-4)
  console.log(`Provider: ${isPaid ? 'paid' : 'declined'} ${amount} ${currency} with the card …${last4}`)
  response.writeHead(isPaid ? 201 : 402, { 'Content-Type': 'application/json' })
  response.end(JSON.stringify({ status: isPaid ? 'succeeded' : 'declined', reference, last4 }))
})
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.on('disconnect', () => process.exit())
