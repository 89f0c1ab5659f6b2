// Loaded before the program: on SIGUSR2, the main thread does nothing else until the file exists.
const fs = require('node:fs')

process.on('SIGUSR2', function block() {
  while (!fs.existsSync(process.env.TEST_UNBLOCK_FILE)) Math.random()
})
