"""Rooms of a class: what is asked, who has answered what, and who hears of it.

A room is told what a screen asks, as plain data. It knows no lesson, no page and no HTTP.
"""
