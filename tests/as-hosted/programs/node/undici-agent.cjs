const { Agent, fetch } = require('undici')

const url = process.argv[2] ?? 'https://api.basistheory.com/tokens'
const dispatcher = new Agent({ connections: 1, keepAliveTimeout: 10 })
fetch(url, { dispatcher, headers: { 'BT-API-KEY': process.env.BT_API_KEY } }).then((response) =>
  console.log('answered', response.status),
)
