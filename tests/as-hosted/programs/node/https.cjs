const https = require('node:https')

const url = process.argv[2] ?? 'https://api.basistheory.com/tokens'
https.get(url, { headers: { 'BT-API-KEY': process.env.BT_API_KEY } }, (response) => {
  console.log('answered', response.statusCode)
  response.resume()
})
