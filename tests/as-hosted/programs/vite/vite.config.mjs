export default {
  plugins: [
    {
      name: 'call',
      configureServer(server) {
        server.middlewares.use('/call', async (_request, response) => {
          const answer = await fetch('https://api.basistheory.com/tokens', {
            headers: { 'BT-API-KEY': process.env.BT_API_KEY },
          })
          response.end(`middleware answered ${answer.status}`)
        })
      },
    },
  ],
}
