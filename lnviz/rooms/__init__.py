"""Classroom rooms: state, polls, votes, presence, and events for subscribed browsers.

A room receives the question of a screen as plain data. It does not depend on lessons, pages or
HTTP.
"""
