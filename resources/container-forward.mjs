// Carries port 4747 of a container, on every interface, to Coffer on its loopback.
import net from 'node:net'

const server = net.createServer({ allowHalfOpen: true }, (caller) => {
  const coffer = net.connect({ host: '127.0.0.1', port: 4748, allowHalfOpen: true })
  caller.pipe(coffer).pipe(caller)
  // Until Coffer listens, and where either side hangs up, both end.
  caller.on('error', () => coffer.destroy())
  coffer.on('error', () => caller.destroy())
})
server.listen(4747)
