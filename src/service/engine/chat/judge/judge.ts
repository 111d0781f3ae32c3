/** What scores texts as a judge. It loads with the first request that may ask for it. */
export { judgment } from './answer.js'
export { hidesScore, madeMistake } from './mistakes.js'
export { readJudging } from './request.js'
