export { nearest } from '../world/nearest.js'
