/** Placeholder. */
export function Home() {
  return (
    <div className="screen-head">
      <h1>Home</h1>
    </div>
  )
}
