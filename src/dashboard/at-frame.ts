/**
 * Calls `task` with an animation frame, once their clock shows `due` or later. Returns what cancels it.
 */
export function atFrame(due: number, task: (now: number) => void): () => void {
  let frame = requestAnimationFrame(function look(now) {
    if (now >= due) task(now)
    else frame = requestAnimationFrame(look)
  })
  return () => cancelAnimationFrame(frame)
}
