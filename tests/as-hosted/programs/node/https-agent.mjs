import https from 'node:https'

const url = process.argv[2] ?? 'https://api.basistheory.com/tokens'
const agent = new https.Agent({ keepAlive: true, maxSockets: 1 })
https.get(url, { agent, headers: { 'BT-API-KEY': process.env.BT_API_KEY } }, (response) => {
  console.log('answered', response.statusCode)
  response.resume().on('end', () => agent.destroy())
})
