// Loaded by `npm run dev`: prints internal errors with message and stack, which incidents leave out.
import { subscribe } from 'node:diagnostics_channel'

subscribe('coffer.incident', (error) => console.error(error))
