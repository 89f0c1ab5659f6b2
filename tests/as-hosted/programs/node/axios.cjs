const axios = require('axios')

const url = process.argv[2] ?? 'https://api.basistheory.com/tokens'
axios
  .get(url, { headers: { 'BT-API-KEY': process.env.BT_API_KEY } })
  .then(({ status }) => console.log('answered', status))
