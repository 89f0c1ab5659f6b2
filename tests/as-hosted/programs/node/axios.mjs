import axios from 'axios'

const url = process.argv[2] ?? 'https://api.basistheory.com/tokens'
const { status } = await axios.get(url, { headers: { 'BT-API-KEY': process.env.BT_API_KEY } })
console.log('answered', status)
