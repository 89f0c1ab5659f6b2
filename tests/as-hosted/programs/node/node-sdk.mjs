import { BasisTheoryClient } from '@basis-theory/node-sdk'

const client = new BasisTheoryClient({
  apiKey: process.env.BT_API_KEY,
  maxRetries: 0,
  // Nothing, unless another host is to be called.
  environment: process.argv[2],
})
const { id } = await client.tokens.create({ type: 'token', data: 'value' })
const { data } = await client.tokens.get(id)
console.log('answered', data === 'value' ? 200 : data)
