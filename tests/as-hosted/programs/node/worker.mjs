import { isMainThread, Worker } from 'node:worker_threads'

if (isMainThread) new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) })
else {
  const url = process.argv[2] ?? 'https://api.basistheory.com/tokens'
  const response = await fetch(url, { headers: { 'BT-API-KEY': process.env.BT_API_KEY } })
  console.log('answered', response.status)
}
