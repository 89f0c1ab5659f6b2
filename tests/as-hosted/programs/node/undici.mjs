import { request } from 'undici'

const url = process.argv[2] ?? 'https://api.basistheory.com/tokens'
const { statusCode, body } = await request(url, { headers: { 'BT-API-KEY': process.env.BT_API_KEY } })
await body.dump()
console.log('answered', statusCode)
