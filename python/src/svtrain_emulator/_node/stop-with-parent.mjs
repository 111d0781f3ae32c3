// Stops the emulator when the process that started it ends in any way: its stdin ends then.
const PATIENCE = 3000

function stop() {
  setTimeout(() => process.exit(1), PATIENCE).unref()
  process.kill(process.pid, 'SIGTERM')
}

process.stdin.once('end', stop)
process.stdin.once('error', stop)
process.stdin.resume()
// Otherwise an emulator that cannot start would wait for its stdin.
if ('unref' in process.stdin) process.stdin.unref()
