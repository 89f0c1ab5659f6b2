import fetch from 'node-fetch'

const url = process.argv[2] ?? 'https://api.basistheory.com/tokens'
const response = await fetch(url, { headers: { 'BT-API-KEY': process.env.BT_API_KEY } })
console.log('answered', response.status)
