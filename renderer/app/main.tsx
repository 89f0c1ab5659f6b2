import './mantine.css'
import '@mantine/spotlight/styles.css'
import './theme.css'
// Before the modules of components, which override these classes on the same element.
import '../ui/text/text.css'
import { createRoot } from 'react-dom/client'
import { CofferError } from '../../shared/errors.ts'
import { reportIncident } from '../parts/connection/incidents.ts'
import { startSession } from '../parts/connection/session.ts'
import { setUnknownReporter } from '../parts/messages/describe-error.ts'
import { showFailureToast } from '../parts/messages/toast.tsx'
import { App } from './app.tsx'

setUnknownReporter((error) => reportIncident(error, 'screen'))
window.addEventListener('error', ({ error }) => reportIncident(error, 'page'))
// Reports rejections that no caller handles, such as one from a click handler.
window.addEventListener('unhandledrejection', (event) => {
  if (!(event.reason instanceof CofferError)) return reportIncident(event.reason, 'page')
  event.preventDefault()
  showFailureToast(event.reason)
})

const root = document.getElementById('root')
if (root) createRoot(root).render(<App />)
// The listener above handles a rejection.
void startSession()
