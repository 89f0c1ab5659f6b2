import '@mantine/notifications/styles.css'
import './toasts.css'
import { Notifications } from '@mantine/notifications'

/** Renders toasts. Toasts announced before this component has loaded appear once it has. */
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
