test('the service answers', async () => {
  const response = await fetch('https://api.basistheory.com/tokens', {
    headers: { 'BT-API-KEY': process.env.BT_API_KEY },
  })
  expect(response.status).toBe(200)
  console.log('answered', response.status)
})
