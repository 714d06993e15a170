"""Classroom rooms: state, polls, votes, presence, and the events that clients subscribe to.

A room receives the question of a screen as plain data. It does not depend on lessons, pages or
HTTP.
"""
