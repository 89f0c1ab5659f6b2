import '@mantine/notifications/styles.css'
import { Notifications } from '@mantine/notifications'
import styles from './toasts.module.css'

/** Renders toasts. Toasts announced before this component has loaded appear once it has. */
export function Toasts() {
  return (
    <Notifications
      className={styles.root}
      position="bottom-right"
      transitionDuration={100}
      limit={4}
      containerWidth={360}
    />
  )
}
