import '@mantine/notifications/styles.css'
import './toasts.css'
import { Notifications } from '@mantine/notifications'

/** Renders toasts. Those announced before it has loaded appear when it does. */
export function Toasts() {
  return (
    <Notifications
      className="toasts"
      position="bottom-right"
      transitionDuration={100}
      limit={4}
      containerWidth={360}
    />
  )
}
