import styles from './steps.module.css'

export function Steps({ names, at }: { names: readonly string[]; at: number }) {
  return (
    <ol className={styles.root}>
      {names.map((name, index) => (
        <li
          key={name}
          className={index < at ? `${styles.step} ${styles.done}` : styles.step}
          aria-current={index === at ? 'step' : undefined}
        >
          {name}
        </li>
      ))}
    </ol>
  )
}
