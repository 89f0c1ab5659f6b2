import got from 'got'

const url = process.argv[2] ?? 'https://api.basistheory.com/tokens'
const { statusCode } = await got(url, {
  retry: { limit: 0 },
  headers: { 'BT-API-KEY': process.env.BT_API_KEY },
})
console.log('answered', statusCode)
