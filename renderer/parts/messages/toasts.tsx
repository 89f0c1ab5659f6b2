import '@mantine/notifications/styles.css'
import './toasts.css'
import { Notifications } from '@mantine/notifications'

/** Where toasts appear. Those announced before it is loaded appear with it. */
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
