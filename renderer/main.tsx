import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import '@mantine/spotlight/styles.css'
import './theme.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { startSession } from './session.ts'

const root = document.getElementById('root')
if (root) createRoot(root).render(<App />)
startSession()
