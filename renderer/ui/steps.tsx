import './steps.css'

export function Steps({ names, at }: { names: readonly string[]; at: number }) {
  return (
    <ol className="steps">
      {names.map((name, index) => (
        <li
          key={name}
          className={index < at ? 'step step-done' : 'step'}
          aria-current={index === at ? 'step' : undefined}
        >
          {name}
        </li>
      ))}
    </ol>
  )
}
