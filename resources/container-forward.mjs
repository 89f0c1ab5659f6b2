// Forwards port 4747 of a container, on every interface, to Coffer on the container's loopback.
import net from 'node:net'

const server = net.createServer({ allowHalfOpen: true }, (caller) => {
  const coffer = net.connect({ host: '127.0.0.1', port: 4748, allowHalfOpen: true })
  caller.pipe(coffer).pipe(caller)
  // If either side fails, as before Coffer listens, close both.
  caller.on('error', () => coffer.destroy())
  coffer.on('error', () => caller.destroy())
})
server.listen(4747)
