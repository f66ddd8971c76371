import { byId } from './paint.js';
export function openLessons() { byId('lessons').showModal(); }
export function lessonSees() {}
